package dev.toolgate.tool.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** Answers with the failures of tools in servlet applications; see this package's description. */
@AutoConfiguration
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnProperty(prefix = "toolgate.tool", name = "enabled", matchIfMissing = true)
public class ToolgateToolAutoConfiguration {
    /** Spring makes it. */
    public ToolgateToolAutoConfiguration() {}

    @Bean
    Refusals toolgateRefusals(ApplicationContext context) {
        return new Refusals(PropertyNames.of(context));
    }

    @Bean
    ToolFailureAdvice toolgateFailureAdvice() {
        return new ToolFailureAdvice();
    }

    @Bean
    ToolErrorAdvice toolgateErrorAdvice(Refusals refusals) {
        return new ToolErrorAdvice(refusals);
    }

    @Bean
    FilterRegistrationBean<ToolErrorFilter> toolgateErrorFilter(Refusals refusals) {
        FilterRegistrationBean<ToolErrorFilter> filter = new FilterRegistrationBean<>(new ToolErrorFilter(refusals));
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return filter;
    }
}
